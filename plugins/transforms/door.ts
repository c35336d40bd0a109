// The door `trellis/transforms` for other plugins.

export type { BodyForm, RequestTransform, ResponseTransform, Transforms } from './forms.ts'
