typedef int age_placeholder;
