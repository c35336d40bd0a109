// The names of the GraphQL types that tables and their columns give rise to.

import type { GeneratedTypes } from '../../sdk/metadata.ts'
import { updateOperators } from '../../sdk/sql.ts'
import { numericAggregates } from './graphql/queries/aggregate-columns.ts'

const suffixes = [
  ...['', '_insert_input', '_bool_exp', '_order_by', '_aggregate', '_aggregate_fields', '_aggregate_order_by'],
  ...['_mutation_response', '_on_conflict', '_pk_columns_input', '_constraint', '_select_column', '_update_column'],
  ...['_enum', '_enum_comparison_exp'],
  ...['max', 'min', ...numericAggregates].flatMap((name) => [
    `_${name}_fields`,
    `_${name}_order_by`,
    `_aggregate_${name}_order_by`,
  ]),
  ...updateOperators.map(({ name }) => `${name}_input`),
]

export const generatedTypes: GeneratedTypes = {
  tables: suffixes.map((suffix) => `*${suffix}`),
  scalars: ['*', '*_comparison_exp', '*_cast_exp'],
}
