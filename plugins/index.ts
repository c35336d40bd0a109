// The built-in plugins, in the order in which they register. Removing a line removes a feature; the rest keeps working.

import type { Plugin } from '../sdk/index.ts'
import actions from './actions/index.ts'
import authJwt from './auth-jwt/index.ts'
import authWebhook from './auth-webhook/index.ts'
import catalogState from './catalog-state/index.ts'
import collections from './collections/index.ts'
import computedFields from './computed-fields/index.ts'
import config from './config/index.ts'
import console from './console/index.ts'
import customTypes from './custom-types/index.ts'
import data from './data/index.ts'
import delivery from './delivery/index.ts'
import developer from './developer/index.ts'
import eventTriggers from './event-triggers/index.ts'
import explain from './explain/index.ts'
import federation from './federation/index.ts'
import feed from './feed/index.ts'
import functions from './functions/index.ts'
import graphiql from './graphiql/index.ts'
import graphql from './graphql/index.ts'
import health from './health/index.ts'
import history from './history/index.ts'
import inheritedRoles from './inherited-roles/index.ts'
import introspection from './introspection/index.ts'
import jobs from './jobs/index.ts'
import limits from './limits/index.ts'
import ltree from './ltree/index.ts'
import mcp from './mcp/index.ts'
import metadata from './metadata/index.ts'
import metrics from './metrics/index.ts'
import network from './network/index.ts'
import openapi from './openapi/index.ts'
import permissions from './permissions/index.ts'
import pgDump from './pg-dump/index.ts'
import postgis from './postgis/index.ts'
import rateLimit from './rate-limit/index.ts'
import relationships from './relationships/index.ts'
import relay from './relay/index.ts'
import remoteRelationships from './remote-relationships/index.ts'
import remoteSchemas from './remote-schemas/index.ts'
import restEndpoints from './rest-endpoints/index.ts'
import roleSchemas from './role-schemas/index.ts'
import scheduled from './scheduled/index.ts'
import simulate from './simulate/index.ts'
import sql from './sql/index.ts'
import stitching from './stitching/index.ts'
import streaming from './streaming/index.ts'
import subscriptions from './subscriptions/index.ts'
import tables from './tables/index.ts'
import tracing from './tracing/index.ts'
import transforms from './transforms/index.ts'
import v1Tables from './v1-tables/index.ts'
import v2Interface from './v2-interface/index.ts'
import version from './version/index.ts'

const plugins: readonly Plugin[] = [
  tracing,
  metadata,
  transforms,
  tables,
  permissions,
  relationships,
  functions,
  computedFields,
  remoteSchemas,
  remoteRelationships,
  stitching,
  jobs,
  delivery,
  eventTriggers,
  scheduled,
  customTypes,
  actions,
  ltree,
  postgis,
  sql,
  data,
  v1Tables,
  v2Interface,
  graphql,
  console,
  graphiql,
  relay,
  subscriptions,
  streaming,
  explain,
  collections,
  restEndpoints,
  inheritedRoles,
  introspection,
  network,
  limits,
  rateLimit,
  mcp,
  metrics,
  health,
  version,
  config,
  developer,
  catalogState,
  history,
  feed,
  roleSchemas,
  federation,
  simulate,
  openapi,
  pgDump,
  authWebhook,
  authJwt,
]

/** The built-in plugins, in the order in which they register. */
export const builtInPlugins = plugins.map((plugin) => Object.assign(plugin, { builtIn: true }))
