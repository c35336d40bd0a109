// Pages of rows.

import { clerk } from './data-refusals.ts'
import type { OperationEntry } from './entry.ts'

export const pages: readonly OperationEntry[] = [
  {
    type: 'browse_rows',
    requires: ['table'],
    anyRole: true,
    notFound: { $: true },
    succeeds: [
      {
        title: 'answers with a page of rows as texts',
        args: { table: 'book', columns: ['id', 'title'], where: { id: { _gt: 1 } }, limit: 1, count: 'none' },
        answers: {
          columns: [
            { name: 'id', type: 'int4' },
            { name: 'title', type: 'text' },
          ],
          ...{ key: ['id'], rows: [['2', 'Ebb']], truncated: [], next: 'WyIyIl0' },
        },
      },
    ],
    refuses: [
      {
        title: 'a column that the role may not read',
        ...clerk,
        args: { table: 'book', columns: ['price'] },
        code: 'permission-denied',
        path: '$.args.columns[0]',
        error: 'role "clerk" does not have permission to select column "price"',
      },
      {
        title: 'an order through relationships',
        args: { table: 'book', order_by: ['publisher.name'] },
        code: 'not-supported',
        path: '$.args.order_by[0]',
        error: 'rows are browsed in the order of columns of the table itself',
      },
    ],
  },
]
