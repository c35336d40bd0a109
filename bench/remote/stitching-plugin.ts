// The schema of people in the process of Trellis.

import { remoteSchemas } from '../../plugins/remote-schemas/graphql.ts'
import { definePlugin } from '../../sdk/index.ts'
import { peopleRoot, peopleSchema } from './stitching-schemas.ts'

export default definePlugin({
  name: 'people',
  dependencies: ['remote-schemas'],
  register(engine) {
    engine.use(remoteSchemas).add({ name: 'local', schema: peopleSchema, rootValue: peopleRoot })
  },
})
