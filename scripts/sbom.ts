// `npm run sbom`: the bill of materials of the package, in the format of CycloneDX. npm's own list without development leaves out
// packages that development needs too. So the whole list is reduced to those that the package installs, or whose code its pages hold.

import { execFileSync } from 'node:child_process'
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

interface Component {
  readonly 'bom-ref': string
  readonly name: string
  readonly properties?: readonly { readonly name: string }[]
}

interface Bill {
  readonly metadata: { readonly component: Component & { readonly version: string } }
  readonly components: readonly Component[]
  readonly dependencies: readonly { readonly ref: string; readonly dependsOn: readonly string[] }[]
}

const root = join(import.meta.dirname, '..')

const isForDevelopment = ({ properties = [] }: Component): boolean =>
  properties.some(({ name }) => name === 'cdx:npm:package:development')

/** The packages that pages import: their code is in the package, though they are installed for development only. */
function bundledNames(): ReadonlySet<string> {
  const files = globSync(['plugins/*/page/**/*.{ts,tsx}', 'plugins/*/bundle.ts', 'console/src/**/*.{ts,tsx}'], {
    cwd: root,
  })
  const names = files.flatMap((file) => {
    const text = readFileSync(join(root, file), 'utf8')
    const found = text.matchAll(/(?:from|import|:|import\() ?'((?:@[\w.-]+\/)?[\w.-]+)(?:\/[^']*)?'/g)
    return [...found].map(([, name]) => name!)
  })
  // The code of a bundler is not in its output.
  return new Set(names.filter((name) => name !== 'esbuild' && name !== 'vite'))
}

/** All that the given components need, with themselves. */
function closure({ dependencies }: Bill, refs: readonly string[]): ReadonlySet<string> {
  const needed = new Map(dependencies.map(({ ref, dependsOn }) => [ref, dependsOn]))
  const found = new Set<string>()
  const open = [...refs]
  for (let ref = open.pop(); ref !== undefined; ref = open.pop()) {
    if (found.has(ref)) continue
    found.add(ref)
    open.push(...(needed.get(ref) ?? []))
  }
  return found
}

/** The bill of materials as text. */
export function billOfMaterials(): string {
  const args = ['sbom', '--package-lock-only', '--sbom-format=cyclonedx']
  const bill = JSON.parse(execFileSync('npm', args, { cwd: root, encoding: 'utf8', maxBuffer: 2 ** 26 })) as Bill
  const bundled = bundledNames()
  const roots = bill.components.filter(({ name }) => bundled.has(name)).map((each) => each['bom-ref'])
  const inPages = closure(bill, roots)
  const components = bill.components
    .filter((each) => !isForDevelopment(each) || inPages.has(each['bom-ref']))
    .map((each) => (isForDevelopment(each) ? { ...each, scope: 'required', properties: [] } : each))
  // npm gives the folder of the checkout as the name.
  const { name } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { readonly name: string }
  const component = { ...bill.metadata.component, name }
  const kept = new Set([component['bom-ref'], ...components.map((each) => each['bom-ref'])])
  const dependencies = bill.dependencies
    .filter(({ ref }) => kept.has(ref))
    .map(({ ref, dependsOn }) => ({ ref, dependsOn: dependsOn.filter((each) => kept.has(each)) }))
  return `${JSON.stringify({ ...bill, metadata: { ...bill.metadata, component }, components, dependencies }, null, 1)}\n`
}

if (import.meta.main) process.stdout.write(billOfMaterials())
