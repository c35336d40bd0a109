// Values that mean the same as an absent key.

/** Keys whose empty value differs from an absent key: no check is not the check by the filter. */
const meaningful: readonly string[] = ['check', 'filter', 'query_root_fields', 'subscription_root_fields']

/** Whether a member says no more than its absence. */
export function isDefault(key: string | null, value: unknown): boolean {
  if (value === undefined || value === null || value === false) return true
  if (key !== null && meaningful.includes(key)) return false
  return typeof value === 'object' && Object.keys(value).length === 0
}
