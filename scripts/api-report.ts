// The promised exports of the package in one text: each name with its declaration. `npm run api` writes it to
// sdk/api-report.md. `npm run check` fails when that file differs from the exports, or when a declaration mentions a type
// that cannot be imported. So each change of the contract shows in a diff.

import { execFileSync } from 'node:child_process'
import { existsSync, globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { type Node, SyntaxKind } from 'typescript/unstable/ast'
import { API, type Checker, type Project, SymbolFlags, type Symbol as TypeSymbol } from 'typescript/unstable/sync'

const root = join(import.meta.dirname, '..')
const report = join(root, 'sdk/api-report.md')
/** Below the packages, so that declarations find what they import. */
const declarations = join(root, 'node_modules/.cache/api')

/** The promised doors; those left out export parts of the first. */
const doors = {
  trellis: 'sdk/doors/index',
  'trellis/engine': 'sdk/engine',
  'trellis/testing': 'sdk/testing',
  'trellis/registry': 'sdk/registry',
  'trellis/tables': 'plugins/tables/graphql',
  'trellis/permissions': 'plugins/permissions/index',
  'trellis/jobs': 'plugins/jobs/index',
  'trellis/actions': 'plugins/actions/index',
  'trellis/event-triggers': 'plugins/event-triggers/index',
  'trellis/remote-schemas': 'plugins/remote-schemas/graphql',
}

/** The door of names that may change in any release: types may mention them, and the report leaves them out. */
const unstable = 'sdk/doors/unstable'

const head = `# Promised exports of the package

Written by \`npm run api\`. A change of this page is a change of the contract. \`trellis/unstable\` exports more names, none of
them promised.
`

/** The doors of built-in plugins, which follow the features: types may mention them, and the report leaves them out. */
const pluginDoors = globSync('plugins/*/door.ts', { cwd: root }).map((path) => path.slice(0, -'.ts'.length))

/** Whether a file is the project's, and no other package's. */
const isOwn = (path: string) => path.toLowerCase().startsWith(declarations.toLowerCase())

function writeDeclarations(): void {
  rmSync(declarations, { recursive: true, force: true })
  mkdirSync(declarations, { recursive: true })
  const tsc = join(root, 'node_modules/typescript/bin/tsc')
  const options = [
    ...['--emitDeclarationOnly', '--declarationMap', 'false', '--sourceMap', 'false', '--inlineSources', 'false'],
    // The types were checked before, and checkers side by side repeat each other's work.
    ...['--noCheck', '--checkers', '1'],
  ]
  execFileSync(process.execPath, [tsc, '-p', 'tsconfig.build.json', '--outDir', declarations, ...options], {
    cwd: root,
    stdio: 'inherit',
  })
  const files = globSync('**/*.d.ts', { cwd: declarations })
  for (const file of files) {
    const path = join(declarations, file)
    writeFileSync(path, readFileSync(path, 'utf8').replace(/(["']\.{1,2}\/[^"']+)\.ts(["'])/g, '$1.js$2'))
  }
  writeFileSync(
    join(declarations, 'tsconfig.json'),
    JSON.stringify({
      compilerOptions: {
        strict: true,
        module: 'nodenext',
        target: 'es2024',
        skipLibCheck: true,
        noEmit: true,
        types: ['node'],
      },
      files: [...Object.values(doors), unstable, ...pluginDoors].map((door) => `${door}.d.ts`),
    }),
  )
}

/** A declaration's text without comments. */
const textOf = (node: Node): string =>
  node
    .getText()
    .replace(/\/\*[\s\S]*?\*\//g, '')
    .replace(/^\s*\n/gm, '')
    .trim()

class Reporter {
  readonly #project: Project
  readonly #checker: Checker
  readonly #exported = new Set<number>()
  readonly problems = new Set<string>()

  constructor(project: Project) {
    this.#project = project
    this.#checker = project.checker
  }

  exportsOf(door: string): TypeSymbol[] {
    const file = this.#project.program.getSourceFile(join(declarations, `${door}.d.ts`))
    const module = file && this.#checker.getSymbolAtLocation(file)
    if (!module) throw new Error(`${door} is no module`)
    const exported = [...this.#checker.getExportsOfModule(module)]
    for (const symbol of exported) this.#exported.add(this.#target(symbol).id)
    return exported.sort((a, b) => (a.name < b.name ? -1 : 1))
  }

  describe(symbol: TypeSymbol): string {
    const nodes = this.#target(symbol).declarations.flatMap((handle) => handle.resolve(this.#project) ?? [])
    const own = nodes.filter((node) => isOwn(node.getSourceFile().fileName) && node.kind !== SyntaxKind.SourceFile)
    for (const node of own) this.#lookAt(node, symbol.name)
    if (own.length === 0) return `export ${symbol.name} // of another package`
    return own
      .map((node) => textOf(node.kind === SyntaxKind.VariableDeclaration ? node.parent.parent : node))
      .join('\n')
  }

  #target(symbol: TypeSymbol): TypeSymbol {
    return symbol.flags & SymbolFlags.Alias ? this.#checker.getAliasedSymbol(symbol) : symbol
  }

  #lookAt(node: Node, within: string): void {
    node.forEachChild((child) => {
      if (child.kind === SyntaxKind.TypeReference || child.kind === SyntaxKind.ExpressionWithTypeArguments) {
        // Its name comes first, then its arguments.
        child.forEachChild((name) => this.#mention(name, within) ?? true)
      }
      this.#lookAt(child, within)
      return undefined
    })
  }

  #mention(name: Node, within: string): void {
    const found = this.#checker.getSymbolAtLocation(name)
    if (!found) return
    const symbol = this.#target(found)
    const isParameter = (symbol.flags & SymbolFlags.TypeParameter) !== 0
    if (isParameter || this.#exported.has(symbol.id)) return
    const [declaration] = symbol.declarations
    const path = declaration?.resolve(this.#project)?.getSourceFile().fileName
    if (path && isOwn(path)) {
      this.problems.add(
        `${within} mentions ${symbol.name}, which ${relative(declarations, path)} exports to nobody else`,
      )
    }
  }
}

/** The report, and types that it mentions while nobody can import them. */
function readDoors(): { readonly text: string; readonly problems: readonly string[] } {
  const api = new API({ cwd: declarations })
  const config = join(declarations, 'tsconfig.json')
  const project = api.updateSnapshot({ openProjects: [config] }).getProject(config)
  if (!project) throw new Error('the declarations make no project')
  const reporter = new Reporter(project)
  const exported = Object.entries(doors).map(([name, door]) => ({ name, symbols: reporter.exportsOf(door) }))
  for (const door of [unstable, ...pluginDoors]) reporter.exportsOf(door)
  const sections = exported.map(({ name, symbols }) => {
    const declared = symbols.map((symbol) => reporter.describe(symbol))
    return `## ${name}\n\n\`\`\`ts\n${declared.join('\n\n')}\n\`\`\`\n`
  })
  api.close()
  return { text: [head, ...sections].join('\n'), problems: [...reporter.problems].sort() }
}

writeDeclarations()
const { text, problems } = readDoors()
for (const problem of problems) console.error(problem)
if (process.argv.includes('--write')) writeFileSync(report, text)
else if (!existsSync(report) || readFileSync(report, 'utf8') !== text) {
  console.error('sdk/api-report.md is not what the package exports: run `npm run api`, and read what has changed')
  process.exitCode = 1
}
if (problems.length > 0) process.exitCode = 1
