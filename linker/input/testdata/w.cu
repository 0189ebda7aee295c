extern "C" __global__ void w(float*p){*p+=1;}
