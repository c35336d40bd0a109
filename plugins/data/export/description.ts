// The exports in the description of the API: their parameters are in the URL.

import type { DescribedPaths } from '../../../sdk/http.ts'
import type { Format } from './plan.ts'

const text = { type: 'string' }

const parameters: readonly (readonly [name: string, schema: object, description: string])[] = [
  ['table', text, 'the name of the table'],
  ['schema', text, 'its schema; public when absent'],
  ['columns', { type: 'array', items: text }, 'a column, repeated for several; all that the role may read when absent'],
  ['where', text, 'a boolean expression as JSON'],
  [
    'order_by',
    { type: 'array', items: text },
    'a column, with - before it for a descending order; repeated for several',
  ],
  ['limit', { type: 'integer', minimum: 0 }, 'the number of rows'],
  ['raw', { type: 'boolean' }, 'whether cells that look like formulas stay as they are'],
]

/** The path of an export in the form of OpenAPI. */
export const describedExports = (format: Format, contentType: string): DescribedPaths => ({
  paths: {
    [`/v1alpha1/rows.${format}`]: {
      get: {
        operationId: `get_v1alpha1_rows_${format}`,
        summary: `Sends the rows of a table as ${format === 'csv' ? 'CSV' : 'lines of JSON'}, as the role may read them.`,
        parameters: parameters
          .filter(([name]) => format === 'csv' || name !== 'raw')
          .map(([name, schema, description]) => ({
            name,
            in: 'query',
            required: name === 'table',
            schema,
            description,
          })),
        responses: { 200: { description: 'the rows', content: { [contentType]: { schema: text } } } },
        'x-edits': false,
      },
    },
  },
  schemas: {},
})
