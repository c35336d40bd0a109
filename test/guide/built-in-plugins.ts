// The table of the built-in plugins for authors, from the plugins themselves: `node test/guide/built-in-plugins.ts`.

import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { builtInPlugins } from '../../plugins/index.ts'

const root = join(import.meta.dirname, '../..')
const read = (path: string) => readFileSync(join(root, path), 'utf8')
const { exports }: { exports: Record<string, string> } = JSON.parse(read('package.json'))

/** The names in the interfaces of the registry that a plugin adds to. */
function declared(sources: readonly string[], name: string): string[] {
  return sources.flatMap((source) => {
    const bodies = source.matchAll(new RegExp(`interface ${name} \\{\\n([\\s\\S]*?)\\n  \\}`, 'g'))
    return [...bodies].flatMap(([, body = '']) => [...body.matchAll(/^ {4}(\w+)\??:/gm)].map(([, key = '']) => key))
  })
}

const listed = (names: Iterable<string>): string =>
  [...new Set(names)]
    .sort()
    .map((name) => `\`${name}\``)
    .join(', ')

/** The keys by which a plugin provides its services. */
const services = (sources: readonly string[]): string[] =>
  sources.flatMap((source) => [...source.matchAll(/engine\.provide\(\s*(\w+)/g)].map(([, key = '']) => key))

function row(name: string): string {
  const sources = globSync(`plugins/${name}/**/*.ts`, { cwd: root }).sort().map(read)
  const index = read(`plugins/${name}/index.ts`)
  const comment = index
    .slice(0, index.search(/^(?!\/\/)/m))
    .replaceAll(/^\/\/ ?/gm, '')
    .replaceAll('\n', ' ')
  const [purpose = ''] = /^.*?(?=[.;](\s|$)|$)/.exec(comment) ?? []
  const parts = ['DocumentSlices', 'ModelSlices', 'TableFacets', 'FieldKinds'].flatMap((each) =>
    declared(sources, each),
  )
  const hasDoor = exports[`./${name}`]?.startsWith(`./plugins/${name}/`)
  return `| \`${name}\` | ${purpose} | ${listed(services(sources))} | ${listed(parts)} | ${hasDoor ? `\`trellis/${name}\`` : ''} |`
}

/** The lines of the table. */
export const builtInTable = (): string[] => [
  '| Plugin | Purpose | Services | Slices, facets and kinds of fields | Entry point |',
  '|---|---|---|---|---|',
  ...builtInPlugins
    .map(({ name }) => name)
    .sort()
    .map(row),
]

if (import.meta.main) console.log(builtInTable().join('\n'))
