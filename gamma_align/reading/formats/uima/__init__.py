"""UIMA CAS (XMI, JSON) and INCEpTION projects."""
