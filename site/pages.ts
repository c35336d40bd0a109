// The pages of the site as Markdown, made from docs/ and examples/.

import { cpSync, globSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { contents } from './contents.ts'

const root = join(import.meta.dirname, '..')
const docs = join(root, 'docs')

/** Folders of code that docs refer to. Each file of them is a page. */
const codeFolders = ['examples', 'test/guide'] as const

/** Markdown outside docs/ that docs refer to, and the names of its pages. */
const otherPages: Readonly<Record<string, string>> = {
  'sdk/api-report.md': 'exports',
  'SECURITY.md': 'security',
  'CHANGELOG.md': 'changelog',
}

/** A file of code as a page: its first comment is the text. */
interface CodePage {
  /** From the root of the checkout. */
  readonly file: string
  /** The name in `examples/`, without an extension. */
  readonly name: string
}

const codePages = (): CodePage[] =>
  codeFolders.flatMap((folder) =>
    globSync('*.ts', { cwd: join(root, folder) })
      .filter((name) => !name.endsWith('.test.ts'))
      .sort()
      .map((name) => ({
        file: `${folder}/${name}`,
        name: folder === 'examples' ? basename(name, '.ts') : `guide-${basename(name, '.ts')}`,
      })),
  )

/** Writes the pages into an emptied folder. Fails if a page is missing in the contents, or is none. */
export function writePages(folder: string): void {
  rmSync(folder, { recursive: true, force: true })
  mkdirSync(join(folder, 'examples'), { recursive: true })
  const pages = codePages()
  requireAllListed()
  for (const name of readdirSync(docs)) {
    if (!name.endsWith('.md')) cpSync(join(docs, name), join(folder, name), { recursive: true })
    else writeFileSync(join(folder, name), withSiteLinks(readFileSync(join(docs, name), 'utf8'), pages))
  }
  for (const [file, name] of Object.entries(otherPages)) {
    const text = readFileSync(join(root, file), 'utf8').replaceAll('](docs/', '](')
    writeFileSync(
      join(folder, `${name}.md`),
      text.replaceAll(/\]\(([^)#]+)\)/g, (link, path: string) =>
        otherPages[path] ? `](${otherPages[path]}.md)` : link,
      ),
    )
  }
  writeFileSync(join(folder, 'index.md'), home())
  writeFileSync(join(folder, 'examples/index.md'), gallery(pages))
  for (const page of pages) writeFileSync(join(folder, `examples/${page.name}.md`), codePage(page))
}

function requireAllListed(): void {
  const listed = contents.flatMap(({ pages }) => pages)
  const written = readdirSync(docs)
    .filter((name) => name.endsWith('.md'))
    .map((name) => basename(name, '.md'))
  const missing = written.filter((name) => !listed.includes(name))
  if (missing.length > 0) throw new Error(`site/contents.ts lacks ${missing.join(', ')}`)
  const unknown = listed.filter((name) => !written.includes(name))
  if (unknown.length > 0) throw new Error(`site/contents.ts names missing pages: ${unknown.join(', ')}`)
}

/** The text with links to code as links to its pages. */
function withSiteLinks(text: string, pages: readonly CodePage[]): string {
  return text.replaceAll(/\]\(\.\.\/([^)#]+)\)/g, (_link, path: string) => {
    const page = pages.find(({ file }) => file === path)
    if (page) return `](examples/${page.name}.md)`
    if (otherPages[path]) return `](${otherPages[path]}.md)`
    if ((codeFolders as readonly string[]).includes(path)) return '](examples/index.md)'
    throw new Error(`the site has no page for the link ../${path}`)
  })
}

/** The title and the text of the comment that a file begins with, and its code. */
function partsOf(file: string): { readonly title: string; readonly text: string; readonly code: string } {
  const lines = readFileSync(join(root, file), 'utf8').split('\n')
  const end = lines.findIndex((line) => !line.startsWith('//'))
  const comment = lines.slice(0, end).map((line) => line.replace(/^\/\/ ?/, ''))
  const text = comment.join('\n')
  const [, title = text] = /^(.+?)[.:]\s/s.exec(`${text} `) ?? []
  return { title: title.replaceAll('\n', ' '), text, code: lines.slice(end).join('\n').trim() }
}

function codePage({ file }: CodePage): string {
  const { text, code } = partsOf(file)
  return `# ${basename(file)}\n\n${text}\n\n\`\`\`ts\n${code}\n\`\`\`\n`
}

function gallery(pages: readonly CodePage[]): string {
  const table = (of: readonly CodePage[]) =>
    ['| Plugin | It shows |', '|---|---|', ...of.map((page) => `| ${link(page)} | ${partsOf(page.file).title} |`)].join(
      '\n',
    )
  const link = ({ name, file }: CodePage) => `[${basename(file)}](./${name}.md)`
  const isExample = ({ file }: CodePage) => file.startsWith('examples/')
  return `# Plugin gallery

Complete plugins, compiled and run by the tests of Trellis. [Recipes](../plugins-recipes.md) says which one answers which wish.

${table(pages.filter(isExample))}

## Plugins of the guide

${table(pages.filter((page) => !isExample(page)))}
`
}

/** The first page: the groups of the contents, each page with its first sentence. */
function home(): string {
  const line = (name: string) => {
    const [title, ...rest] = readFileSync(join(docs, `${name}.md`), 'utf8')
      .trim()
      .split('\n')
    const paragraph = rest.join('\n').trim().split('\n\n')[0]!.replaceAll('\n', ' ')
    const sentence = /^[^#|<\-!](?!``).*?[.:](?= |$)/.exec(paragraph)?.[0].replace(/:$/, '.') ?? ''
    return `- [${title!.replace(/^# /, '')}](./${name}.md). ${withoutLinks(sentence)}`
  }
  return `---\neditLink: false\n---\n\n# Trellis\n
A GraphQL engine for PostgreSQL, built from plugins. Track tables, and get queries, mutations and subscriptions with permissions per
role, webhooks on changes, and remote servers joined to rows. [Take the tour](./tour.md), [start with a database](./tutorial.md), [move from another
server](./moving.md), or [write a plugin](./plugins.md).

${contents.map(({ title, pages }) => `## ${title}\n\n${pages.map(line).join('\n')}\n`).join('\n')}`
}

const withoutLinks = (text: string): string => text.replaceAll(/\[([^\]]+)\]\([^)]+\)/g, '$1')
