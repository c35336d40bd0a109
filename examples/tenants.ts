// Tenants: in tables with a column `tenant_id`, every role but `admin` reaches the rows of its own tenant and writes no other,
// whatever its permissions say. The session variable says which: x-service-tenant-id, or the option's.
// `npm start -- --plugin ./examples/tenants.ts --tenant-variable tenant-id`

import { type Condition, compare, definePlugin, type NarrowedTable, option, sessionValue } from 'trellis'

const column = 'tenant_id'

export default definePlugin({
  name: 'tenants',
  options: {
    tenantVariable: option.textWithDefault('tenant-id', {
      flag: 'tenant-variable',
      variable: 'TENANT_VARIABLE',
      description: 'session variable, without its prefix, that names the tenant',
    }),
  },
  register(engine) {
    const variable = engine.dialect.sessionPrefix + engine.options.tenantVariable.toLowerCase()
    const ofTenant = ({ table, role }: NarrowedTable): Condition | null => {
      const tenant = table.columns.get(column)
      if (!tenant || role === 'admin') return null
      return compare(tenant, '_eq', sessionValue(variable, tenant.type.sql))
    }
    engine.access.narrow({ name: 'tenants', rows: ofTenant, written: ofTenant })
  },
})
