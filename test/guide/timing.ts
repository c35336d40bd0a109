// The duration of operations, and a rule for guests.

import { badRequest, chooseOperation, definePlugin } from 'trellis'

/** The plugin; it calls `tell` with the kind and the milliseconds of each operation. */
export default (tell: (kind: string, milliseconds: number) => void) =>
  definePlugin({
    name: 'timing',
    register(engine) {
      engine.around({
        async operation(work, run) {
          const started = performance.now()
          try {
            return await run()
          } finally {
            tell(work.operation?.kind ?? 'refused', performance.now() - started)
          }
        },
        document({ document, session, request }, run) {
          const { kind } = chooseOperation(document, request.operationName)
          if (session.role === 'guest' && kind === 'mutation') throw badRequest('access-denied', 'guests only look')
          return run()
        },
      })
    },
  })
