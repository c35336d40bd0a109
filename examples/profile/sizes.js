// A page: the largest tables, with a bar for each.

const styles = `
  ol { display: grid; gap: 8px; list-style: none; max-width: 720px; }
  li { align-items: center; display: grid; gap: 12px; grid-template-columns: 12rem 1fr 6rem; }
  i { background: var(--accent); height: 8px; min-width: 1px; }
  span:last-child { color: var(--muted); text-align: right; }
`

const listed = ({ name, bytes }, largest) => {
  const row = document.createElement('li')
  const bar = document.createElement('i')
  bar.style.width = `${(100 * bytes) / largest}%`
  const [label, size] = [name, `${Math.ceil(bytes / 1024)} kB`].map((text) => {
    const span = document.createElement('span')
    // Names are texts, never HTML.
    span.textContent = text
    return span
  })
  row.append(label, bar, size)
  return row
}

/** @type {import('trellis/console').ConsoleModule} */
export default {
  api: 1,
  async mount(host, { run, navigate }) {
    const sheet = new CSSStyleSheet()
    sheet.replaceSync(styles)
    host.getRootNode().adoptedStyleSheets.push(sheet)
    const tables = await run('pg_get_source_tables', { details: true })
    const largest = tables.sort((a, b) => b.bytes - a.bytes).slice(0, 20)
    const list = document.createElement('ol')
    list.append(...largest.map((table) => listed(table, largest[0].bytes)))
    const button = document.createElement('trellis-button')
    button.textContent = 'Show all tables'
    button.addEventListener('click', () => navigate('data'))
    host.append(list, button)
  },
}
