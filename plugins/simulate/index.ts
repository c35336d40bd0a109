// Simulations: changes of the metadata and the database are tried, shown, and rolled back.

import { definePlugin } from '../../sdk/index.ts'
import { schemaComparison } from '../role-schemas/index.ts'
import { simulate } from './operations.ts'

export default definePlugin({
  name: 'simulate',
  dependencies: ['metadata', 'role-schemas'],
  register(engine) {
    engine.operations.add(simulate(engine, engine.use(schemaComparison)))
  },
})
