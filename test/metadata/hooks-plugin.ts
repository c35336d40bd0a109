// A test plugin whose metadata needs environment variables.

import { Type } from '@sinclair/typebox'
import { definePlugin } from '../../core/engine/plugin.ts'

export interface Hook {
  name: string
  url_from_env: string
}

declare module '../../sdk/registry.ts' {
  interface DocumentSlices {
    test_hooks: Hook[]
  }
}

const describeHook = ({ name, url_from_env }: Hook) => ({
  ref: { kind: 'hook', name },
  type: 'hook',
  definition: { name, url_from_env },
})

/** Metadata that needs an environment variable. */
export const hooks = definePlugin({
  name: 'hooks',
  register({ metadata: { slice } }) {
    slice('test_hooks', {
      schema: Type.Array(Type.Object({ name: Type.String(), url_from_env: Type.String() })),
      empty: [],
      entryKey: ({ name }: Hook) => name,
      resolve(entries, context) {
        for (const hook of entries) {
          // Written like an author who trusts the shape.
          const variable = hook.url_from_env.trim()
          if (context.environment(variable) !== undefined) continue
          context.report(describeHook(hook), `environment variable '${variable}' not set`)
        }
      },
    })
  },
})
