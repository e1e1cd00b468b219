import hooks from 'eslint-plugin-react-hooks';
import ts from 'typescript-eslint';

export default ts.config(
  { ignores: ['node_modules', 'dist'] },
  ...ts.configs.strictTypeChecked,
  {
    files: ['src/**/*.{ts,tsx}'],
    plugins: { 'react-hooks': hooks },
    languageOptions: { parserOptions: { projectService: true, tsconfigRootDir: import.meta.dirname } },
    rules: {
      ...hooks.configs.recommended.rules,
      '@typescript-eslint/restrict-template-expressions': ['error', { allowNumber: true }],
      '@typescript-eslint/no-confusing-void-expression': ['error', { ignoreArrowShorthand: true }],
      '@typescript-eslint/no-misused-promises': ['error', { checksVoidReturn: { attributes: false } }],
      'no-restricted-properties': [
        'error',
        { property: 'innerHTML', message: 'Foreign text is shown as text: use parts/Markdown.' },
        { property: 'outerHTML', message: 'Foreign text is shown as text: use parts/Markdown.' },
        { object: 'window', property: 'localStorage', message: 'Use app/storage: it is keyed by user.' },
      ],
      'no-restricted-globals': [
        'error',
        { name: 'localStorage', message: 'Use app/storage: it is keyed by user.' },
        { name: 'sessionStorage', message: 'Use app/storage: it is keyed by user.' },
        { name: 'fetch', message: 'Use api/client.' },
      ],
      'no-restricted-syntax': [
        'error',
        {
          selector: "JSXAttribute[name.name='dangerouslySetInnerHTML']",
          message: 'Foreign text is shown as text: use parts/Markdown.',
        },
      ],
    },
  },
  { files: ['*.js', '*.ts'], ...ts.configs.disableTypeChecked },
);
