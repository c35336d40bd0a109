// Every door of the package is there, for the compiler and for Node.

import * as main from 'trellis'
import * as access from 'trellis/access'
import * as actions from 'trellis/actions'
import * as collections from 'trellis/collections'
import * as computed_fields from 'trellis/computed-fields'
import * as browser_console from 'trellis/console'
import * as custom_types from 'trellis/custom-types'
import * as data from 'trellis/data'
import * as delivery from 'trellis/delivery'
import * as engine from 'trellis/engine'
import * as event_triggers from 'trellis/event-triggers'
import * as federation from 'trellis/federation'
import * as functions from 'trellis/functions'
import * as graphql from 'trellis/graphql'
import * as http from 'trellis/http'
import * as inherited_roles from 'trellis/inherited-roles'
import * as introspection from 'trellis/introspection'
import * as jobs from 'trellis/jobs'
import * as limits from 'trellis/limits'
import * as metadata from 'trellis/metadata'
import * as network from 'trellis/network'
import * as permissions from 'trellis/permissions'
import * as registry from 'trellis/registry'
import * as relationships from 'trellis/relationships'
import * as remote_relationships from 'trellis/remote-relationships'
import * as remote_schemas from 'trellis/remote-schemas'
import * as rest_endpoints from 'trellis/rest-endpoints'
import * as scheduled from 'trellis/scheduled'
import * as services from 'trellis/services'
import * as sql from 'trellis/sql'
import * as tables from 'trellis/tables'
import * as testing from 'trellis/testing'
import * as tracing from 'trellis/tracing'
import * as unstable from 'trellis/unstable'

/** With their doors, the parts of built-in plugins have types. */
export const parts = (document: main.MetadataDocument, model: main.Model) => ({
  query: document.query_collections[0]?.definition.queries[0]?.query satisfies string | undefined,
  allowed: collections.allowedQueries(document, { role: 'guest' })[0]?.name,
  webhook: document.tables[0]?.event_triggers?.[0]?.name satisfies string | undefined,
  schedule: document.cron_triggers[0]?.schedule,
  action: model.slices.actions?.get('pay')?.name,
  remote: model.slices.remote_schemas?.get('shop'),
  roles: document.tables[0]?.select_permissions?.[0]?.role,
})

/** Names of built-in plugins are suggested, and other names are accepted. */
export const plugin = main.definePlugin({
  name: 'mine',
  dependencies: ['collections' satisfies keyof registry.PluginNames, 'another'],
  register() {},
})

const ofSubjects = [main, access, engine, graphql, http, metadata, registry, services, sql, testing, unstable]
const ofNew = [browser_console, federation, inherited_roles, introspection, network, rest_endpoints, tracing]
const ofPlugins = [
  actions,
  collections,
  computed_fields,
  custom_types,
  data,
  delivery,
  event_triggers,
  functions,
  jobs,
  limits,
  permissions,
  relationships,
  remote_relationships,
  remote_schemas,
  scheduled,
  tables,
]
console.log([...ofSubjects, ...ofNew, ...ofPlugins].map((door) => typeof door === 'object'))
