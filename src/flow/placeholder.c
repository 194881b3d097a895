typedef int flow_placeholder;
