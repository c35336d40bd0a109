// Transforms of webhook requests and responses: a service of functions for the plugins that call webhooks, and an
// operation that tries a transform.

import { definePlugin } from '../../sdk/index.ts'
import { testWebhookTransform } from './operations.ts'

export {
  type RequestContext,
  TransformError,
  type TransformedRequest,
  transformRequest,
  transformResponse,
} from './apply.ts'
export { type RequestTransform, type ResponseTransform, storedTransforms, type Transforms } from './forms.ts'
export { transformKeys } from './schema.ts'

export default definePlugin({
  name: 'transforms',
  dependencies: ['metadata'],
  register(engine) {
    engine.operations.add(testWebhookTransform)
  },
})
