// The log of asynchronous calls. Tools of v1.3 know its name and columns; `lease` and `leased_until` hold the lease of the instance
// that runs a call.

import type { Migration } from '../../sdk/index.ts'

export const migrations: readonly Migration[] = [
  {
    name: '0001-baseline',
    sql: `
      create table trellis.hdb_action_log (
        id uuid primary key,
        action_name text not null,
        input_payload jsonb not null,
        request_headers jsonb not null,
        session_variables jsonb not null,
        response_payload jsonb,
        errors jsonb,
        created_at timestamptz not null default now(),
        response_received_at timestamptz,
        status text not null check (status in ('created', 'processing', 'completed', 'error')),
        lease uuid,
        leased_until timestamptz
      );
      create index on trellis.hdb_action_log (created_at) where status in ('created', 'processing');
      create index on trellis.hdb_action_log (response_received_at) where status in ('completed', 'error');
      create index on trellis.hdb_action_log (action_name);
    `,
  },
]
