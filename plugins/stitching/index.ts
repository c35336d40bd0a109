// Remote schemas that are stitched of others, with types that several of them share.

import { definePlugin } from '../../sdk/index.ts'
import { serverKinds } from '../remote-schemas/index.ts'
import { stitchKind } from './kind.ts'

export default definePlugin({
  name: 'stitching',
  dependencies: ['remote-schemas'],
  register(engine) {
    engine.use(serverKinds).add(stitchKind())
  },
})
