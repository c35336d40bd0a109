// Limits on inherited roles.

/**
 * The most roles that an inherited role may have as parents, through other inherited roles too. The filters of all that
 * have a permission are compared with each other and become one condition.
 */
export const mostParents = 300

/** The most inherited roles of the metadata. Each edit compares the permissions of all their parents. */
export const mostRoles = 1000
