/** The header that carries a session's secret; a page elsewhere cannot send it without a preflight, which is refused. */
export const sessionHeader = 'x-waypointd-session';
