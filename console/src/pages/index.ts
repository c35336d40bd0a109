// The pages of the rail, in its order. The first one is the start.

import type { ConsolePage } from '../shell/contract.ts'
import { data } from './data/index.ts'
import { now } from './now/index.ts'
import { roles } from './roles/index.ts'

export const pages: readonly ConsolePage[] = [now, data, roles]
