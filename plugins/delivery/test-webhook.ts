// `test_webhook`: sends a payload to a URL as a delivery would, and shows the answer.

import { isSendableHeader } from '../../sdk/http.ts'
import { type Engine, parseFailed, Type } from '../../sdk/index.ts'
import { operation } from '../../sdk/metadata.ts'
import { OutgoingError } from '../../sdk/services.ts'
import { testMillis, testShownBytes } from './tuning.ts'

function readUrl(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : null
  if (url && /^https?:$/.test(url.protocol)) return text
  throw parseFailed('expected an HTTP URL')
}

function readHeaders(headers: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  for (const [name, value] of Object.entries(headers)) {
    if (!isSendableHeader(name, value)) throw parseFailed(`the header ${JSON.stringify(name)} cannot be sent`)
  }
  return headers
}

const Headers = Type.Unsafe<Readonly<Record<string, string>>>({
  ...Type.Record(Type.String(), Type.String()),
  convert: readHeaders,
  shown: Type.Record(Type.String(), Type.String()),
})

const Args = Type.Object({
  url: Type.String({ convert: readUrl, shown: Type.String({ examples: ['https://hooks.example/book'] }) }),
  headers: Type.Optional(Headers),
  payload: Type.Unknown(),
})

const Nullable = Type.Union([Type.String(), Type.Null()])

const Result = Type.Object({
  status: Type.Union([Type.Integer(), Type.Null()]),
  headers: Type.Record(Type.String(), Type.Unknown()),
  body: Nullable,
  is_cut: Type.Boolean(),
  error: Nullable,
  seconds: Type.Number(),
})

/** Requests obey the egress policy, as those of deliveries do. */
export const testWebhook = ({ outgoing }: Pick<Engine, 'outgoing'>) =>
  operation({
    type: 'test_webhook',
    about: { summary: 'Sends a payload to a webhook, and shows its answer.', result: Result },
    args: Args,
    access: 'none',
    editsMetadata: false,
    forReaders: false,
    async handle({ signal }, { url, headers = {}, payload }) {
      const started = performance.now()
      const limits = { timeout: testMillis, maxResponseSize: testShownBytes, cutsResponse: true, signal }
      const seconds = () => Math.round(performance.now() - started) / 1000
      try {
        const request = { method: 'POST', url, headers, body: JSON.stringify(payload), ...limits } as const
        const response = await outgoing.send(request)
        const { status, isCut, body } = response
        return { status, headers: response.headers, body: String(body), is_cut: isCut, error: null, seconds: seconds() }
      } catch (error) {
        if (!(error instanceof OutgoingError)) throw error
        return { status: null, headers: {}, body: null, is_cut: false, error: error.message, seconds: seconds() }
      }
    },
  })
