/* Colours: those of Okabe and Ito, which all eyes tell apart; the same meaning in every view.
 *   A blue, B vermilion, what is measured green, the difference purple, the simplex orange, the surface of a depth search sky blue. */
const shared = { a: '#0072b2', b: '#d55e00', measure: '#009e73', difference: '#cc79a7', simplex: '#e69f00', surface: '#56b4e9' };

export const themes = {
  light: { ...shared, back: '#f7f7f4', ink: '#1c1e21', faint: '#c9c9c2', grid: '#dededa', fixed: '#9aa0a6', line: '#2b2f33', spot: '#ffffff' },
  dark: { ...shared, a: '#3fa0db', b: '#f08030', measure: '#20c795', difference: '#dd95bd', simplex: '#f2b32c', surface: '#7cc6f2', back: '#15181c', ink: '#eceef0', faint: '#4b525a', grid: '#262b31', fixed: '#8a929b', line: '#0b0d0f', spot: '#15181c' },
};

/* Roles of bodies in recordings. */
export const roleColour = (theme, role) => ({ moving: theme.b, fixed: theme.fixed, obstacle: theme.b, link: theme.a, tool: theme.surface })[role] ?? theme.a;

export function currentTheme() {
  const chosen = document.documentElement.dataset.theme;
  return chosen === 'dark' || (chosen !== 'light' && matchMedia('(prefers-color-scheme: dark)').matches) ? 'dark' : 'light';
}
