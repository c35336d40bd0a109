// A tab of tables: the least and the greatest value of each column with numbers, as the identity at the top sees them.

const numeric = /^(?:smallint|integer|bigint|numeric|real|double precision)/

/** @type {import('trellis/console').ConsoleModule} */
export default {
  api: 1,
  async mount(host, { run, identity, table, toast }) {
    const grid = document.createElement('trellis-table')
    grid.setAttribute('label', 'Numbers')
    grid.columns = ['column', 'least', 'greatest']
    const end = async (column, direction) => {
      const args = { table, columns: [column], order_by: `${direction}${column}`, limit: 1 }
      const { rows } = await run('browse_rows', args, { as: identity.get() })
      return rows[0]?.[0] ?? ''
    }
    const show = async () => {
      const { columns } = await run('pg_get_table_info', { table })
      const names = columns.filter(({ type }) => numeric.test(type)).map(({ name }) => name)
      grid.rows = await Promise.all(
        names.map(async (column) => ({ column, least: await end(column, ''), greatest: await end(column, '-') })),
      )
    }
    host.append(grid)
    await show()
    return identity.subscribe(() => show().catch((error) => toast(error.message)))
  },
}
