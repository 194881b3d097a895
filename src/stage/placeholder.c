typedef int stage_placeholder;
