// The rules of `check-imports.ts`: which folder may import which.

import { circlesOf, type Import } from './imports.ts'

/** The folders of core in one order: each imports only folders before it. */
export const coreOrder: readonly string[] = [
  'errors',
  'json',
  'names',
  'concurrency',
  'around',
  'options',
  'log',
  'wire',
  'database',
  'queue',
  'session',
  'auth',
  'http',
  'outgoing',
  'catalog',
  'compiler',
  'metadata',
  'access',
  'graphql',
  'operations',
  'engine',
]

/** The folders inside large folders, in the same kind of order. */
export const innerOrders: Readonly<Record<string, readonly string[]>> = {
  'core/database': ['wire', 'sql', 'hearing', 'migrations', 'placing'],
  'core/metadata': ['document', 'naming', 'slices', 'resolving', 'serving'],
  'core/graphql': ['read', 'schema', 'plan', 'run'],
  'core/compiler': ['types', 'plan', 'print', 'run'],
  'core/http': ['body', 'front', 'route'],
  'core/outgoing': ['answer', 'connecting'],
}

/** The files of a plugin that its dependents may import. */
const publicFiles = ['index.ts', 'graphql.ts', 'schema.ts']

/** Files that form one recursive unit: a printer that nests itself. */
const recursions: readonly string[] = ['core/compiler/print/aggregate-sql.ts', 'core/compiler/print/select-sql.ts']

/** Doors of the SDK for programs and tests; plugins do not import them. */
const programDoors = /^sdk\/(engine|testing)\b/

/** The types that plugins fill in. */
const registry = 'sdk/registry.ts'

/** The declared dependencies of a plugin, by its folder. */
export type Dependencies = (plugin: string) => readonly string[]

/** A line for each import, file circle and folder circle that breaks the rules. */
export function importRefusals(imports: readonly Import[], dependencies: Dependencies): string[] {
  const refused = imports
    .filter((each) => !isAllowed(each, dependencies))
    .map(({ from, to }) => `${from} may not import ${to}`)
  const circles = circlesOf(imports)
    .filter((circle) => !circle.every((file) => recursions.includes(file)))
    .map((circle) => `these files import each other in a circle: ${circle.join(', ')}`)
  const folderCircles = circlesOf(imports.flatMap(betweenFolders)).map(
    (circle) => `these folders import each other in a circle: ${circle.join(', ')}`,
  )
  return [...refused, ...circles, ...folderCircles]
}

function isAllowed({ from, to }: Import, dependencies: Dependencies): boolean {
  const [area = '', folder = ''] = from.split('/')
  const [target = '', targetFolder = '', ...rest] = to.split('/')
  switch (area) {
    case 'core':
      return target === 'core' ? isBelow(from, to) : to === registry
    case 'sdk':
      return (
        target === 'core' || target === 'sdk' || (programDoors.test(from) && ['process', 'plugins'].includes(target))
      )
    case 'process':
      return target === 'core' || target === 'process'
    case 'cli':
      return target === 'core' || target === 'process' || target === 'cli'
    case 'plugins':
      // The list of the built-in plugins.
      if (from === 'plugins/index.ts' && target === 'plugins') return true
      if ((target === 'sdk' && !programDoors.test(to)) || (target === 'plugins' && targetFolder === folder)) return true
      return target === 'plugins' && dependencies(folder).includes(targetFolder) && publicFiles.includes(rest.join('/'))
    default:
      return true
  }
}

/** Whether a file of core imports downwards: from its own folder, or from one before it. */
function isBelow(from: string, to: string): boolean {
  const [, folder = '', inner = ''] = from.split('/')
  const [, targetFolder = '', targetInner = ''] = to.split('/')
  const [place, targetPlace] = [coreOrder.indexOf(folder), coreOrder.indexOf(targetFolder)]
  if (place < 0 || targetPlace < 0) return false
  if (place !== targetPlace) return targetPlace < place
  const order = innerOrders[`core/${folder}`] ?? []
  const [innerPlace, innerTarget] = [order.indexOf(inner), order.indexOf(targetInner)]
  // Files directly in the folder are its shared types and its entry.
  return innerPlace < 0 || innerTarget <= innerPlace
}

/** The import as one between folders of core or plugins; none within a folder, or in the list of plugins. */
function betweenFolders({ from, to, isType }: Import): Import[] {
  const [area = '', folder = '', ...inFolder] = from.split('/')
  const [target = '', targetFolder = '', ...inTarget] = to.split('/')
  const isInside = ['core', 'plugins'].includes(area) && area === target && folder !== targetFolder
  if (!isInside || inFolder.length === 0 || inTarget.length === 0) return []
  return [{ from: `${area}/${folder}`, to: `${target}/${targetFolder}`, isType }]
}
