// The options of requests to other servers.

import { choice, list } from '../options/option-kinds.ts'
import { refusalOfEgress } from './connecting/egress.ts'

/** A property's name is the option's key in the configuration file. */
export const outgoingOptions = {
  egress: choice(['any', 'deny-private'], 'any', {
    flag: 'egress',
    variable: 'EGRESS',
    placeholder: 'POLICY',
    description: 'addresses that requests to other servers may reach: any, or deny-private for public addresses only',
  }),
  egressAllow: list([], {
    flag: 'egress-allow',
    variable: 'EGRESS_ALLOW',
    placeholder: 'HOSTS',
    check: refusalOfEgress,
    description: 'hosts, addresses and networks such as 10.1.0.0/16 that deny-private still allows',
  }),
}
