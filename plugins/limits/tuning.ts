// Numbers of the limits, chosen by judgement.

/** Roles whose limits are kept: some hundred bytes each. Clients with tokens may have any role. */
export const mostRoles = 1000
