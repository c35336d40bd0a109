// Every area of the suite.

import { actions } from './actions.ts'
import { batches } from './batches.ts'
import { catalogState } from './catalog-state.ts'
import { collections } from './collections.ts'
import { computedFields } from './computed-fields.ts'
import { customTypes } from './custom-types.ts'
import { data } from './data.ts'
import type { Area } from './entry.ts'
import { eventLog } from './event-log.ts'
import { eventTriggers } from './event-triggers.ts'
import { functions } from './functions.ts'
import { governance } from './governance.ts'
import { history } from './history.ts'
import { jobs } from './jobs.ts'
import { metadata } from './metadata.ts'
import { permissions } from './permissions.ts'
import { relationships } from './relationships.ts'
import { remoteRelationships } from './remote-relationships.ts'
import { remoteSchemas } from './remote-schemas.ts'
import { scheduled } from './scheduled.ts'
import { sources } from './sources.ts'
import { sql } from './sql.ts'
import { tables } from './tables.ts'

export const areas: readonly Area[] = [
  actions,
  batches,
  catalogState,
  collections,
  computedFields,
  customTypes,
  data,
  eventLog,
  eventTriggers,
  functions,
  governance,
  history,
  jobs,
  metadata,
  permissions,
  relationships,
  remoteRelationships,
  remoteSchemas,
  scheduled,
  sources,
  sql,
  tables,
]
