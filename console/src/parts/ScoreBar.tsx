import './work.css';

export interface Threshold {
  at: number;
  label: string;
}

/** A score in [0, 1] as a bar, with thresholds as lines across it. */
export function ScoreBar(props: { score: number; label: string; thresholds?: readonly Threshold[] }) {
  const { score, label, thresholds = [] } = props;
  const taken = thresholds.filter((one) => score >= one.at).length;
  const tone = thresholds.length === 0 ? 'info' : (['neutral', 'wait', 'good'][taken] ?? 'good');
  const words = [`${label} ${score.toFixed(2)}`, ...thresholds.map((one) => `${one.label} ${one.at.toFixed(2)}`)];
  return (
    <span className="score">
      <span className="score-track" role="img" aria-label={words.join(', ')}>
        <span className={`score-fill ${tone}`} style={{ width: `${Math.min(1, Math.max(0, score)) * 100}%` }} />
        {thresholds.map((one) => (
          <span key={one.label} className="score-line" style={{ left: `${one.at * 100}%` }} title={words.join(', ')} />
        ))}
      </span>
      <span className="score-number" aria-hidden="true">
        {score.toFixed(2)}
      </span>
    </span>
  );
}
