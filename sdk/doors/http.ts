// The promised part of the SDK for routes, requests and answers. Names leave it only in a major release.

export {
  type Admission,
  type Applicant,
  type AuthService,
  assumedSession,
  type ErrorEncoder,
  Gzipped,
  headerText,
  type OwnPort,
  type OwnPortContext,
  type RequestHeaders,
  type Route,
  type RouteCall,
  type RouteDescription,
  type RouteRequest,
  readJson,
  serveOnOwnPort,
  untrustedSession,
} from '../http.ts'
