"""The best alignment of annotated units, exactly: candidates, columns, relaxation, proof."""
