// Every door of the package is there, for the compiler and for Node.

import * as main from 'trellis'
import * as engine from 'trellis/engine'
import * as graphql from 'trellis/graphql'
import * as http from 'trellis/http'
import * as metadata from 'trellis/metadata'
import * as registry from 'trellis/registry'
import * as services from 'trellis/services'
import * as sql from 'trellis/sql'
import * as testing from 'trellis/testing'

console.log(
  [main, engine, graphql, http, metadata, registry, services, sql, testing].map((door) => Object.keys(door).length > 0),
)
