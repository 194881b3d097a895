typedef int cmd_placeholder;
