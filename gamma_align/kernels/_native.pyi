from gamma_align.columns import FloatArray, IntArray, WordArray

def align_shifted(
    document: IntArray,
    number: IntArray,
    count_overlaps: IntArray,
    keys: WordArray,
    law: FloatArray,
    kind: IntArray,
    choices: IntArray,
    slot_offsets: IntArray,
    start: FloatArray,
    end: FloatArray,
    label: IntArray,
    categorial: FloatArray,
    alpha: float,
    beta: float,
    delta: float,
    factor: float,
) -> tuple[IntArray, FloatArray, IntArray, IntArray, IntArray, FloatArray]: ...
