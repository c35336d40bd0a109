// The pages of the rail, in its order. The first one is the start.

import type { ConsolePage } from '../shell/contract.ts'
import { api } from './api/index.ts'
import { data } from './data/index.ts'
import { events } from './events/index.ts'
import { govern } from './govern/index.ts'
import { now } from './now/index.ts'
import { plugins } from './plugins/index.ts'
import { remote } from './remote/index.ts'
import { roles } from './roles/index.ts'
import { sql } from './sql/index.ts'

export const pages: readonly ConsolePage[] = [now, api, data, sql, roles, events, remote, govern, plugins]
