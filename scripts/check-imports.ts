// Part of `npm run check`: who may import what, and that nobody imports each other in a circle.
//
// - core/ imports itself, its layers only what is below them, and of the SDK the registry of types that plugins fill.
// - sdk/ imports core/; its doors for programs and tests, which run everything, what they run.
// - A plugin imports its own folder, sdk/, and the public files of the plugins that it declares to depend on.
// - process/ imports core/.

import { join } from 'node:path'
import { circlesOf, dependenciesOf, type Import, importsOf } from './imports.ts'

const root = join(import.meta.dirname, '..')

/** The files of a plugin that those which depend on it may import. */
const publicFiles = ['index.ts', 'graphql.ts', 'schema.ts']

/** Files that are one thing in several files: what they print or plan holds itself. */
const recursions: readonly string[] = ['core/compiler/aggregate-sql.ts', 'core/compiler/select-sql.ts']

/** Folders of core, each of which imports none of those behind it. */
const layers: readonly string[] = ['database', 'catalog', 'compiler', 'metadata', 'access', 'graphql']

/** Files of the SDK that no plugin imports. */
const whole = /^sdk\/(engine|testing)\b/

const registry = 'sdk/registry.ts'

function isAllowed({ from, to }: Import): boolean {
  const [area = '', folder = ''] = from.split('/')
  const [target = '', targetFolder = '', ...rest] = to.split('/')
  switch (area) {
    case 'core':
      return target === 'core' ? !isAbove(targetFolder, folder) : to === registry
    case 'sdk':
      return target === 'core' || target === 'sdk' || (whole.test(from) && ['process', 'plugins'].includes(target))
    case 'process':
      return target === 'core' || target === 'process'
    case 'plugins':
      // The list of the built-in plugins.
      if (from === 'plugins/index.ts' && target === 'plugins') return true
      if ((target === 'sdk' && !whole.test(to)) || (target === 'plugins' && targetFolder === folder)) return true
      return (
        target === 'plugins' &&
        dependenciesOf(root, folder).includes(targetFolder) &&
        publicFiles.includes(rest.join('/'))
      )
    default:
      return true
  }
}

/** Whether both are layers, and the first is the higher one. */
const isAbove = (folder: string, other: string): boolean =>
  layers.includes(other) && layers.indexOf(folder) > layers.indexOf(other)

const imports = importsOf(root, ['core', 'process', 'sdk', 'plugins'])
const refused = imports.filter((each) => !isAllowed(each)).map(({ from, to }) => `${from} may not import ${to}`)
const circles = circlesOf(imports)
  .filter((circle) => !circle.every((file) => recursions.includes(file)))
  .map((circle) => `these import each other in a circle: ${circle.join(', ')}`)
for (const line of [...refused, ...circles]) console.error(line)
if (refused.length + circles.length > 0) process.exitCode = 1
else console.log(`Checked ${imports.length} imports.`)
