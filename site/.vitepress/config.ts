// The settings of the generator.

import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { defineConfig } from 'vitepress'
import { contents } from '../contents.ts'

const pages = join(import.meta.dirname, '../.pages')

const titleOf = (name: string): string =>
  /^# (.+)$/m.exec(readFileSync(join(pages, `${name}.md`), 'utf8'))?.[1]?.replaceAll('`', '') ?? name

export default defineConfig({
  title: 'Trellis',
  description: 'A plugin-based GraphQL engine for PostgreSQL',
  lang: 'en',
  srcDir: '.pages',
  outDir: 'dist',
  themeConfig: {
    search: { provider: 'local' },
    outline: [2, 3],
    nav: [
      { text: 'Tutorial', link: '/tutorial' },
      { text: 'Configuration', link: '/configuration' },
      { text: 'Plugins', link: '/examples/' },
    ],
    sidebar: [
      ...contents.map(({ title, pages: names }) => ({
        text: title,
        items: names.map((name) => ({ text: titleOf(name), link: `/${name}` })),
      })),
      { text: 'Gallery', items: [{ text: 'Plugin gallery', link: '/examples/' }] },
    ],
  },
  markdown: {
    // As other readers of Markdown make anchors, so that links hold in a checkout too.
    anchor: {
      slugify: (text) =>
        text
          .trim()
          .toLowerCase()
          .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
          .replaceAll(/\s/gu, '-'),
    },
    config(md) {
      // Pages show templates such as `{{URL}}`, which the generator's templates would evaluate.
      const { code_inline: code, text } = md.renderer.rules
      md.renderer.rules.code_inline = (tokens, i, ...rest) => {
        tokens[i]!.attrSet('v-pre', '')
        return code!(tokens, i, ...rest)
      }
      md.renderer.rules.text = (tokens, i, ...rest) => text!(tokens, i, ...rest).replaceAll('{{', '&#123;&#123;')
    },
  },
})
