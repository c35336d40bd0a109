// Changes of tables that a start can do without.

/** Runs statements of PL/pgSQL, or does without them where somebody is at work on their tables: a start waits for nobody. */
export const unlessLocked = (statements: string): string => `
    do $$
    declare
      before text := current_setting('lock_timeout');
    begin
      perform set_config('lock_timeout', '100ms', true);
      ${statements};
      perform set_config('lock_timeout', before, true);
    exception when lock_not_available then
      null;
    end $$`
