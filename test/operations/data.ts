// Reading and changing rows.

import { changes } from './data-changes.ts'
import { pages } from './data-pages.ts'
import { reads } from './data-reads.ts'
import type { Area } from './entry.ts'

/** The clerk's permissions: to read, insert and change the books of the publisher in the session. */
const house = { publisher_id: 'X-Service-House' }
const notForbidden = { title: { _ne: 'Forbidden' } }

const granted = (kind: string, permission: object, role = 'clerk') => ({
  type: `create_${kind}_permission`,
  args: { table: 'book', role, permission },
})

export const data: Area = {
  title: 'rows',
  sql: `alter table book add constraint few_pages check (pages < 10000)`,
  given: [
    granted('select', { columns: ['id', 'title', 'pages', 'publisher_id'], filter: house }),
    granted('insert', {
      check: notForbidden,
      columns: ['id', 'title', 'pages'],
      set: { publisher_id: 'x-service-house' },
    }),
    granted('update', { columns: ['title', 'pages'], filter: house, check: notForbidden, set: { price: 5 } }),
    granted('delete', { filter: house }),
    granted('insert', { check: {} }, 'writer'),
    granted('update', { columns: '*', filter: {} }, 'writer'),
    granted('delete', { filter: {} }, 'writer'),
    granted('select', { columns: '*', filter: {} }, 'inserter'),
    granted('insert', { check: {} }, 'inserter'),
  ],
  operations: [...reads, ...pages, ...changes],
}
