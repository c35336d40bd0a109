// Masking of columns: roles other than the administrator read only the last four characters of a text column whose comment holds
// `@masked`. The mask is a part of the statement, so that the text itself never leaves the database.
// `npm start -- --plugin ./examples/masking.ts`

import { definePlugin, sql } from 'trellis'

export default definePlugin({
  name: 'masking',
  register(engine) {
    engine.columns.transform({
      name: 'masking',
      applies: (_, { comment, type }) => type.name === 'text' && (comment ?? '').includes('@masked'),
      read({ role }) {
        if (role === 'admin') return 'stored'
        return { sql: (value) => sql`repeat('*', greatest(length(${value}) - 4, 0)) || right(${value}, 4)` }
      },
    })
  },
})
