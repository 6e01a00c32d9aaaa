"""Problems of other languages, brought into this one."""
