// A REST endpoint beside its query: the same plan and the same statement, without the envelope of GraphQL.

import { workloadReport } from '../report.ts'
import { operate, type Trellis } from '../support/trellis.ts'
import { type Contender, compareAnswers, measureWorkload, type ThroughputOptions } from './throughput.ts'
import { trackByPrimaryKey, type Workload } from './workloads.ts'

/** The name of the part. */
export const endpointName = 'rest'

const workload: Workload = {
  ...trackByPrimaryKey,
  name: endpointName,
  title: `${trackByPrimaryKey.title}: a REST endpoint (below) beside its query`,
  targets: { throughput: 1 },
}

/** Stores the query under a URL. */
async function addEndpoint(port: number): Promise<void> {
  const stored = [{ name: 'track', query: workload.request(0).query }]
  await operate(port, 'create_query_collection', { name: 'stored', definition: { queries: stored } })
  await operate(port, 'create_rest_endpoint', {
    ...{ name: 'track', url: 'track', methods: ['POST'] },
    definition: { query: { collection_name: 'stored', query_name: 'track' } },
  })
}

/** Measures both at a server with the standard metadata, and reports them. */
export async function measureEndpoint(trellis: Trellis, options: ThroughputOptions): Promise<string> {
  await addEndpoint(trellis.port)
  const query: Contender = { ...trellis, name: 'query', pathOf: () => '/v1/graphql' }
  const endpoint: Contender = { ...trellis, name: 'endpoint', pathOf: () => '/api/rest/track', isEndpoint: true }
  await compareAnswers(workload, [query, endpoint])
  return workloadReport(workload, await measureWorkload(workload, [query, endpoint], options))
}
