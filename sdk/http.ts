// For plugins with endpoints or authentication: routes, responses, sessions.

export type { Applicant } from '../core/auth/admission.ts'
export type { Authenticator, AuthService } from '../core/auth/auth.ts'
export {
  assumedSession,
  foreignHeader,
  headerText,
  type RequestHeaders,
  trustedSession,
  untrustedSession,
} from '../core/auth/headers.ts'
export { hasAdminSecret } from '../core/auth/option-rules.ts'
export { secretCheck, secretsRefusal } from '../core/auth/secrets.ts'
export type { Admission } from '../core/engine/work-hooks.ts'
export { parseJsonInTurns, readJson, readJsonInTurns } from '../core/http/body/body.ts'
export { disconnectSignal } from '../core/http/disconnect.ts'
export { type CorsPolicy, corsPolicy, type OriginCheck, originCheck } from '../core/http/front/cors.ts'
export { isSameOrigin } from '../core/http/front/hosts.ts'
export { isSendableHeader, reasonPhrase } from '../core/http/node-http.ts'
export { type OwnPort, type OwnPortContext, serveOnOwnPort } from '../core/http/own-port.ts'
export { inDialect, sendStreamHead, toAnswerable } from '../core/http/route/answer.ts'
export { type BrowserFile, browserFile, wantsHtml } from '../core/http/route/browser-files.ts'
export { ClientCaller, callerOf, type Origin, originOf } from '../core/http/route/caller.ts'
export { clientNetwork } from '../core/http/route/client-network.ts'
export { Gzipped } from '../core/http/route/compression.ts'
export type {
  DescribedPaths,
  ErrorAnswer,
  ErrorEncoder,
  FailureDescription,
  Route,
  RouteCall,
  RouteDescription,
  RouteRequest,
  RouteUrl,
} from '../core/http/route/declared-route.ts'
export type { Exchange } from '../core/http/route/exchange.ts'
export { applicantOf } from '../core/http/route/route.ts'
export { isStrict, strictHeader } from '../core/http/route/strict.ts'
