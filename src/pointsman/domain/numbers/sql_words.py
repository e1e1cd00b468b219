"""What a question to a database may be made of: syntax, functions and types, by dialect.

Everything else is refused, also what a later release of the parser or the database brings. What is
on the lists reads nothing but its arguments: no file, no network, no setting, no other query, and
it does not sleep or build a text of any size from a small one.

The syntax goes by the class names of sqlglot, the functions by the names that the database reads.
"""

from typing import Literal

Dialect = Literal["sqlite", "postgres"]

SYNTAX = frozenset(
    "Select Union Except Intersect Subquery With CTE Table TableAlias Identifier Column Star Alias"
    " Aliases From Join Where Group Having Order Ordered Limit Offset Fetch LimitOptions Distinct"
    " Values Tuple Lateral Cube Rollup GroupingSets"
    " Literal Boolean Null Var Interval DataType DataTypeParam"
    " Add Sub Mul Div IntDiv Mod DPipe Neg Paren Not EQ NEQ GT GTE LT LTE Is In Between"
    " Like ILike Glob SimilarTo Escape NullSafeEQ NullSafeNEQ Any All AtTimeZone"
    " BitwiseAnd BitwiseOr BitwiseXor BitwiseNot BitwiseLeftShift BitwiseRightShift"
    " Window WindowSpec Filter WithinGroup IgnoreNulls RespectNulls"
    " JSONPath JSONPathRoot JSONPathKey JSONPathSubscript".split()
)
INFIX = frozenset(
    "And Or Exists Case If CurrentDate CurrentTime CurrentTimestamp Localtime Localtimestamp"
    " JSONExtract JSONExtractScalar JSONBExtract JSONBExtractScalar RegexpLike RegexpILike Collate"
    " TsOrDsToTimestamp TsOrDsToDate TsOrDsToTime".split()
)
"""Functions of the parser that are written without a name and brackets."""

_COMMON = (
    "abs avg cast ceil ceiling coalesce concat concat_ws count cume_dist date dense_rank exp"
    " first_value floor lag last_value lead length ln log log10 lower ltrim max min mod nth_value"
    " ntile nullif percent_rank pow power rank replace round row_number rtrim sign sqrt substr"
    " substring sum trim upper string_agg exists"
)
_SQLITE = (
    "char datetime format glob group_concat hex iif ifnull instr json_array_length json_extract"
    " json_type json_valid julianday like median octet_length printf quote strftime time timediff"
    " total trunc typeof unicode unixepoch log2"
)
_POSTGRES = (
    "age array_agg array_length array_position bool_and bool_or btrim cardinality char_length"
    " character_length corr covar_pop covar_samp date_bin date_part date_trunc div every extract"
    " greatest initcap isfinite jsonb_array_length json_array_length jsonb_typeof json_typeof"
    " justify_days justify_hours justify_interval least left make_date make_timestamp"
    " mode now octet_length overlay percentile_cont percentile_disc position regexp_replace"
    " regr_slope regr_intercept reverse right split_part starts_with statement_timestamp"
    " stddev stddev_pop stddev_samp strpos to_char to_date to_number to_timestamp translate trunc"
    " var_pop var_samp variance width_bucket"
)
FUNCTIONS: dict[Dialect, frozenset[str]] = {
    "sqlite": frozenset((_COMMON + " " + _SQLITE).split()),
    "postgres": frozenset((_COMMON + " " + _POSTGRES).split()),
}

TYPES = frozenset(
    "BIGINT BOOLEAN CHAR DATE DATETIME DECIMAL DOUBLE FLOAT INT INTERVAL JSON JSONB NCHAR NVARCHAR"
    " SMALLINT TEXT TIME TIMESTAMP TIMESTAMPNTZ TIMESTAMPTZ TIMETZ TINYINT UUID VARCHAR".split()
)
"""What a value may be cast to, in the parser's names."""
